// A small ball with a dark edge; smoothed over one pixel.
#version 120
uniform float u_radius;        // in pixels
uniform float u_alpha;
varying vec2 v_place;
varying vec3 v_colour;
#include "light.glsl"

void main() {
    float away = length(v_place);
    float cover = clamp((1.0 - away) * u_radius + 0.5, 0.0, 1.0);
    if (cover <= 0.0) discard; // the depth of the corners hides nothing
    vec3 normal = vec3(v_place, sqrt(max(1.0 - away * away, 0.0)));
    vec3 colour = v_colour * light_on(normal, normal.z) + vec3(0.25) * gloss_of(normal, vec3(0.0, 0.0, 1.0));
    colour = mix(colour, vec3(0.008), smoothstep(0.68, 0.82, away));
    gl_FragColor = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0) * cover * u_alpha;
}

// A face of a square or a cube in the colour of its value. Colours are in linear light as in surface.frag.
// MAPPED: there are values. MASKED: some are missing. DEEP: lit from the side of the camera.
#version 120
uniform sampler2D u_lut;
uniform vec3 u_missing;
uniform vec3 u_plain;          // linear light
uniform float u_lit;           // how much light and shade, 0..1
varying float v_value;
varying vec3 v_normal;
varying vec3 v_at;
varying float v_shade;
#include "light.glsl"
#include "place.glsl"

void main() {
    vec3 base = u_plain;
#ifdef MAPPED
    float share = clamp(place_of(v_value), 0.0, 1.0);
    base = texture2D(u_lut, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb;
#ifdef MASKED
    if (v_value > 1.0e38) base = u_missing;
#endif
    base *= base;
#endif
#ifdef DEEP
    float facing = max(dot(v_normal, normalize(-v_at)), 0.0);
    base *= mix(1.0, v_shade, u_lit) * mix(vec3(1.0), light_on(v_normal, facing), u_lit);
#endif
    gl_FragColor = vec4(sqrt(clamp(base, 0.0, 1.0)), 1.0);
}

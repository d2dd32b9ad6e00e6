// A vertical gradient with a soft light behind the scene, dithered by half a step so that it shows no bands.
#version 120
uniform vec3 u_top;
uniform vec3 u_bottom;
uniform vec3 u_glow;
uniform vec2 u_size;
varying vec2 v_corner;
void main() {
    vec2 off = (v_corner - vec2(0.5, 0.46)) * vec2(u_size.x / u_size.y, 1.0);
    float glow = max(1.0 - 1.6 * dot(off, off), 0.0);
    vec3 colour = mix(u_top, u_bottom, v_corner.y) + u_glow * glow * glow;
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    gl_FragColor = vec4(colour + (noise - 0.5) / 255.0, 1.0);
}

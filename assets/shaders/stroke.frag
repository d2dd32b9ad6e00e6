// Distance to the segment decides coverage, so edges are smooth at any width.
#version 120
varying vec2 v_pixel;
varying vec2 v_from;
varying vec2 v_to;
varying float v_radius;
varying vec4 v_colour;
void main() {
    vec2 along = v_to - v_from;
    float t = clamp(dot(v_pixel - v_from, along) / max(dot(along, along), 1.0e-6), 0.0, 1.0);
    float cover = clamp(v_radius + 0.5 - length(v_pixel - v_from - t * along), 0.0, 1.0);
    gl_FragColor = v_colour * cover;
}

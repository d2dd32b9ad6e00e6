// A flat rectangle of samples in space.
#version 120
attribute vec2 a_corner;       // 0..1
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec3 u_origin;
uniform vec3 u_across;
uniform vec3 u_up;
uniform vec2 u_span;           // columns and rows in full
varying vec2 v_texel;

void main() {
    v_texel = a_corner * u_span;
    gl_Position = u_projection * (u_view * vec4(u_origin + a_corner.x * u_across + a_corner.y * u_up, 1.0));
}

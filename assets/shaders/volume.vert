// The far faces of a box; the fragment shader walks from the eye to them.
#version 120
attribute vec3 a_position;     // 0..1
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec3 u_origin;
uniform vec3 u_extent;
varying vec3 v_far;

void main() {
    v_far = a_position;
    gl_Position = u_projection * (u_view * vec4(u_origin + a_position * u_extent, 1.0));
}

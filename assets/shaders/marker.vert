// Markers: four corners of a square that faces the eye, of fixed size on the screen, a little before its place so that
// the sheet it lies on does not cut it.
#version 120
attribute vec3 a_position;
attribute vec2 a_corner;       // -1..1
attribute vec3 a_colour;       // linear light
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec2 u_size;           // of the target
uniform float u_radius;        // in its pixels
uniform float u_lift;          // in the geometry's unit
varying vec2 v_place;          // from the middle, in radii
varying vec3 v_colour;

void main() {
    vec3 eye = (u_view * vec4(a_position, 1.0)).xyz;
    vec4 at = u_projection * vec4(eye * max(1.0 - u_lift / length(eye), 0.05), 1.0);
    v_place = a_corner * (u_radius + 1.0) / u_radius;
    at.xy += a_corner * (u_radius + 1.0) * 2.0 / u_size * at.w;
    v_colour = a_colour;
    gl_Position = at;
}

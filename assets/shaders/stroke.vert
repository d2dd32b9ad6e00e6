// Round-ended strokes in pixels; a stroke of no length is a disc.
#version 120
attribute vec2 a_from;
attribute vec2 a_to;
attribute float a_radius;
attribute vec4 a_colour;
attribute vec2 a_corner;       // -1..1
uniform vec2 u_size;
varying vec2 v_pixel;
varying vec2 v_from;
varying vec2 v_to;
varying float v_radius;
varying vec4 v_colour;
void main() {
    vec2 along = a_to - a_from;
    float stretch = length(along);
    along = stretch > 1.0e-4 ? along / stretch : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float reach = a_radius + 1.5;
    v_pixel = 0.5 * (a_from + a_to) + along * a_corner.x * (0.5 * stretch + reach) + across * a_corner.y * reach;
    v_from = a_from;
    v_to = a_to;
    v_radius = a_radius;
    v_colour = a_colour;
    gl_Position = vec4(2.0 * v_pixel.x / u_size.x - 1.0, 1.0 - 2.0 * v_pixel.y / u_size.y, 0.0, 1.0);
}

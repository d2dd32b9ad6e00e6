// A rectangle in pixels from the top left, behind everything where depth counts.
#version 120
attribute vec2 a_corner;       // 0..1
uniform vec4 u_place;          // left, top, width, height
uniform vec2 u_size;           // of the target
varying vec2 v_corner;
void main() {
    v_corner = a_corner;
    vec2 pixel = u_place.xy + a_corner * u_place.zw;
    gl_Position = vec4(2.0 * pixel.x / u_size.x - 1.0, 1.0 - 2.0 * pixel.y / u_size.y, 1.0, 1.0);
}

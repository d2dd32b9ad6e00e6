// One colour, with edges smoothed over one pixel.
#version 120
uniform vec4 u_colour;         // premultiplied
uniform float u_radius;
varying float v_across;
void main() {
    gl_FragColor = u_colour * clamp(u_radius + 0.5 - abs(v_across), 0.0, 1.0);
}

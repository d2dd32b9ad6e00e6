// One colour.
#version 120
uniform vec4 u_colour;         // premultiplied
void main() {
    gl_FragColor = u_colour;
}

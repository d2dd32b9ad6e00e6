// A texture as it is; sprites come with premultiplied alpha.
#version 120
uniform sampler2D u_texture;
uniform float u_flip;          // 1: the texture's first row is the bottom one (a framebuffer)
varying vec2 v_corner;
void main() {
    gl_FragColor = texture2D(u_texture, vec2(v_corner.x, mix(v_corner.y, 1.0 - v_corner.y, u_flip)));
}

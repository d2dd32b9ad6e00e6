"""The application's own icon, in the sizes in which desktops show it."""

from ui.widgets.icons import application_icon


def test_the_icon_of_the_application_is_drawn_in_each_usual_size(qapp):
    sizes = {(size.width(), size.height()) for size in application_icon().availableSizes()}
    assert sizes == {(side, side) for side in (16, 32, 48, 128, 256)}

"""The window itself: its menus, its layout, its workspaces, its status bar, and the questions that it asks."""

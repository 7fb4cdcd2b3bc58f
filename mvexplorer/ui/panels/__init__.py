"""One embedding each: picture, header, menus, and the grid of them."""

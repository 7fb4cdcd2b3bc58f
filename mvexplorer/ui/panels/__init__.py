"""Panels of one embedding each (picture, header, menus), and their grid."""

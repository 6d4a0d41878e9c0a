"""setup.py -- the module in C of the package that pyproject.toml describes; without a compiler it is left out."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("_fairway", ["_fairway.c"], optional=True)])

"""Validates reports: schemas.py FOLDER report.json report.sarif report.xml, where FOLDER has the schemas."""

import json
import pathlib
import sys

import jsonschema
from lxml import etree

folder, report, sarif, junit = map(pathlib.Path, sys.argv[1:])


def validate(name, file):
    schema = json.loads((folder / name).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(json.loads(file.read_text()))


validate("report.schema.json", report)
validate("sarif-2.1.0.schema.json", sarif)
etree.XMLSchema(etree.parse(folder / "junit-10.xsd")).assertValid(etree.parse(junit))

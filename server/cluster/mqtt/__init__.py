"""The bus on an MQTT broker."""

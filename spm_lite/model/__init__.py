"""The model file (a protobuf ModelProto): wire format, fields, reading and writing."""

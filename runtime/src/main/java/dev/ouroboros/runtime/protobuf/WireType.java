package dev.ouroboros.runtime.protobuf;

/** How a field's value is written; groups, which protobuf gave up, are not read. */
enum WireType {
    VARINT(0),
    FIXED64(1),
    DELIMITED(2),
    FIXED32(5);

    private final int code;

    WireType(int code) {
        this.code = code;
    }

    long tag(int field) {
        return ((long) field << 3) | code;
    }

    static WireType of(long tag) throws MalformedMessageException {
        return switch ((int) (tag & 7)) {
            case 0 -> VARINT;
            case 1 -> FIXED64;
            case 2 -> DELIMITED;
            case 5 -> FIXED32;
            default -> throw new MalformedMessageException("unknown wire type " + (tag & 7));
        };
    }
}

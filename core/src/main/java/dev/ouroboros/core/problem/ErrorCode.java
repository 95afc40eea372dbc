package dev.ouroboros.core.problem;

/** Every error Ouroboros reports has one of these codes; scripts match on the name. */
public enum ErrorCode {
    BAD_USAGE(Kind.USER),
    INVALID_CONFIG(Kind.USER),
    INVALID_FLAG(Kind.USER),
    INVALID_KEY_MATERIAL(Kind.USER),
    INVALID_ASSET_DIRECTORY(Kind.USER),
    UNSUPPORTED_VERSION(Kind.USER),
    UNSUPPORTED_CLUSTER(Kind.USER),
    CANNOT_BE_STATIC(Kind.USER),
    CHANGE_REFUSED(Kind.USER),
    EDITED_FILE(Kind.USER),
    NOT_FOUND(Kind.USER),
    NOT_A_DATABASE(Kind.USER),
    COMPACTED(Kind.USER),
    KEY_MISSING(Kind.USER),

    MISSING_TOOL(Kind.ENVIRONMENT),
    MISSING_PERMISSION(Kind.ENVIRONMENT),
    FOREIGN_FILE(Kind.ENVIRONMENT),
    FOREIGN_TABLE(Kind.ENVIRONMENT),
    FRONT_BROKEN(Kind.ENVIRONMENT),
    PORT_IN_USE(Kind.ENVIRONMENT),
    LOCKED(Kind.ENVIRONMENT),
    DISK(Kind.ENVIRONMENT),
    DAMAGED_FILE(Kind.ENVIRONMENT),
    FILE_CHANGED(Kind.ENVIRONMENT),
    UNREADABLE_OBJECT(Kind.ENVIRONMENT),
    PROCESS_FAILED(Kind.ENVIRONMENT),
    TIMEOUT(Kind.ENVIRONMENT),
    UNSUPPORTED_RUNTIME(Kind.ENVIRONMENT),

    API_UNAVAILABLE(Kind.REMOTE),
    API_REFUSED(Kind.REMOTE),
    COMPONENT_FAILED(Kind.REMOTE),
    DOWNLOAD_FAILED(Kind.REMOTE),
    RUNTIME_UNAVAILABLE(Kind.REMOTE),
    RUNTIME_REFUSED(Kind.REMOTE),

    INTERNAL(Kind.INTERNAL);

    private final Kind kind;

    ErrorCode(Kind kind) {
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}

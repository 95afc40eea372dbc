package dev.ouroboros.cli.program;

/** What a command ends with. */
public final class ExitCode {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    public static final int FINDINGS = 3;

    private ExitCode() {}
}

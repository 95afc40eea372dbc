package dev.ouroboros.status.judge;

import dev.ouroboros.model.evidence.ServerAnswer;
import java.util.regex.Pattern;

/** Makes what machines say short enough to read. */
public final class Words {
    /** Checks of etcd are called etcd, etcd-readiness, and etcd-override-... */
    private static final Pattern ONLY_ETCD = Pattern.compile("\\((?:etcd\\S* failed(?:; )?)+\\)");

    /** As a keeper counts: {@code 3 s of 10 s}. */
    private static final Pattern COUNT = Pattern.compile("\\b\\d+ s of \\d+ s\\b");

    private static final Pattern DIGEST = Pattern.compile("\\b([0-9a-f]{8})[0-9a-f]{56}\\b");

    private Words() {}

    /** Whether an API server is not ready for no other reason than that etcd is away. */
    static boolean blamesEtcd(String tidied) {
        return ONLY_ETCD.matcher(tidied).find();
    }

    /** Of health checks only those that failed, of digests only the beginning. */
    public static String tidy(String text) {
        return DIGEST.matcher(ServerAnswer.failedChecks(text)).replaceAll("$1").strip();
    }

    /** The text without its counts: two texts that differ only in how long something waits say the same. */
    public static String withoutCounts(String text) {
        return COUNT.matcher(text).replaceAll("");
    }
}

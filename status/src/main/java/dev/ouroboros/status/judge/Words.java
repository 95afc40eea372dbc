package dev.ouroboros.status.judge;

import java.util.regex.Pattern;

/** Makes what machines say short enough to read. */
public final class Words {
    /** Checks of etcd are called etcd, etcd-readiness, and etcd-override-... */
    private static final Pattern ONLY_ETCD = Pattern.compile("\\((?:etcd\\S* failed(?:; )?)+\\)");

    /** As in the answer of {@code /readyz}: a line for each check, then a verdict. */
    private static final Pattern PASSED = Pattern.compile("\\[\\+\\][^\\n]*\\n");

    private static final Pattern FAILED = Pattern.compile("\\[-\\]([^\\n:]*)(?:: reason withheld)?([^\\n]*)\\n");
    private static final Pattern VERDICT = Pattern.compile("(?:; )?(?:readyz|livez|healthz) check failed");
    private static final Pattern DIGEST = Pattern.compile("\\b([0-9a-f]{8})[0-9a-f]{56}\\b");

    private Words() {}

    /** Whether an API server is not ready for no other reason than that etcd is away. */
    static boolean blamesEtcd(String tidied) {
        return ONLY_ETCD.matcher(tidied).find();
    }

    /** Of health checks only those that failed, of digests only the beginning. */
    public static String tidy(String text) {
        String shorter = PASSED.matcher(text).replaceAll("");
        shorter = FAILED.matcher(shorter).replaceAll("$1$2; ");
        shorter = VERDICT.matcher(shorter).replaceAll("");
        return DIGEST.matcher(shorter).replaceAll("$1").replace("; )", ")").strip();
    }
}

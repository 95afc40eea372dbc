package dev.ouroboros.model.kubelet;

/**
 * Where a node has the generations of its kubelet. What the files are for, and who writes which, stands at the head of {@code guard.sh}.
 *
 * <p>It is below {@code /usr/local}: {@code /var} is often mounted with noexec.
 */
public final class KubeletLayout {
    public static final String DIRECTORY = "/usr/local/lib/ouroboros/kubelet";

    /** The generation with which the node was made. It is what runs while nothing is wished. */
    public static final String BASE = "base";

    /** A directory for each generation, with the files of {@link KubeletGeneration#files}. */
    public static final String GENERATIONS = "generations";
    /** A file for each generation that was tried: whether it is confirmed or failed. */
    public static final String OUTCOMES = "outcomes";
    /** Programs that were brought for generations, by the SHA-256 of their content. */
    public static final String PROGRAMS = "programs";

    /** What the guard is to try: a generation, and how many seconds it has. */
    public static final String TRIAL = "trial";
    /** Why the generation that is tried must not stay, though its kubelet answers. */
    public static final String CONDEMNED = "condemned";
    /** The generation that starts; {@link #BASE} where the file is missing. */
    public static final String CURRENT = "current";
    /** The generation that was started last, its process and how many starts there were. */
    public static final String STARTED = "started";

    /** The script that a service runs: it becomes the kubelet. */
    public static final String START = "start.sh";
    /** The script that tries a generation and goes back. */
    public static final String GUARD = "guard.sh";

    /** The generation itself, of which its other files are made. */
    public static final String GENERATION = "generation.json";
    /** In the directory of one that was wished: {@link #GENERATION} of the base that it was made on. On another base it does not start. */
    public static final String MADE_ON = "base.json";
    /** Its configuration, as {@code --config} names it. */
    public static final String CONFIG = "config.yaml";
    /** The script that becomes its kubelet. */
    public static final String RUN = "run.sh";

    private KubeletLayout() {}

    /** Where one of these is. */
    public static String path(String... names) {
        return DIRECTORY + "/" + String.join("/", names);
    }
}

package dev.ouroboros.host.decide;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done with each file of a host.
 *
 * @param entries the wanted files in their order, then those that are wanted no more
 */
public record HostPlan(List<Entry> entries) {
    /** What is done with one file. */
    public enum Step {
        WRITE("write"),
        /** We wrote it, and it is not part of the host any more. */
        REMOVE("remove"),
        KEEP("unchanged"),
        /** Somebody changed it since we wrote it: it is left as it is. */
        EDITED("edited, kept"),
        /** Somebody else made it, with other content: it is in the way. */
        FOREIGN("in the way");

        private final String words;

        Step(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /** @param purpose for people */
    public record Entry(String path, Step step, String purpose) {}

    public HostPlan {
        entries = List.copyOf(entries);
    }

    /**
     * Compares.
     *
     * @param wanted with the digests of their contents in {@code digests}
     * @param digests of what is wanted, by path
     * @param present digests of the files that there are, by path, of all that is wanted or recorded
     */
    public static HostPlan of(
            List<HostFile> wanted, Map<String, String> digests, HostRecord record, Map<String, String> present) {
        List<Entry> entries = new ArrayList<>();
        Set<String> paths = new HashSet<>();
        for (HostFile file : wanted) {
            paths.add(file.path());
            String here = present.get(file.path());
            entries.add(new Entry(
                    file.path(),
                    here == null ? Step.WRITE : step(file.path(), here, digests.get(file.path()), record),
                    file.purpose()));
        }
        for (String path : record.files().keySet()) {
            String here = present.get(path);
            if (!paths.contains(path) && here != null) {
                entries.add(new Entry(
                        path,
                        record.wrote(path, here) ? Step.REMOVE : Step.EDITED,
                        "is not part of the host any more"));
            }
        }
        return new HostPlan(entries);
    }

    private static Step step(String path, String here, @Nullable String wanted, HostRecord record) {
        if (here.equals(wanted)) {
            return Step.KEEP;
        }
        if (record.wrote(path, here)) {
            return Step.WRITE;
        }
        return record.files().containsKey(path) ? Step.EDITED : Step.FOREIGN;
    }

    /** This plan, in which a file that would be removed stays, and stays ours. */
    public HostPlan keeping(String path, String purpose) {
        return new HostPlan(entries.stream()
                .map(entry -> entry.path().equals(path) && entry.step() == Step.REMOVE
                        ? new Entry(path, Step.KEEP, purpose)
                        : entry)
                .toList());
    }

    public List<String> paths(Step step) {
        return entries.stream()
                .filter(entry -> entry.step() == step)
                .map(Entry::path)
                .toList();
    }

    /** Whether anything is to be written or removed. */
    public boolean changes() {
        return !paths(Step.WRITE).isEmpty() || !paths(Step.REMOVE).isEmpty();
    }
}

package dev.ouroboros.snapshot;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.encryption.Decryptor.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Objects that cannot be read. Those behind one missing key are one problem with a number, however many they are; of the others a
 * hundred are kept.
 */
final class Troubles {
    private static final int KEPT = 100;

    private record Closed(String firstKey, long number) {}

    private final Map<Refusal, Closed> closed = new LinkedHashMap<>();
    private final List<Problem> unreadable = new ArrayList<>();
    private long others;

    void closed(String key, Refusal refusal) {
        if (!closed.containsKey(refusal) && closed.size() == KEPT) {
            others++;
            return;
        }
        closed.merge(refusal, new Closed(key, 1), (before, more) -> new Closed(before.firstKey(), before.number() + 1));
    }

    void unreadable(String key, String what) {
        if (unreadable.size() < KEPT) {
            unreadable.add(new Problem(
                    ErrorCode.UNREADABLE_OBJECT,
                    key,
                    what,
                    "an object as an API server stores it",
                    "take it from an older snapshot; etcdctl get on a restored etcd shows it as it is stored"));
        } else {
            others++;
        }
    }

    /** Those of {@link #problems} whose key no file has, because a KMS keeps it. */
    List<Problem> ofKms() {
        List<Problem> all = new ArrayList<>();
        closed.forEach((refusal, objects) -> {
            if (refusal instanceof Refusal.NeedsKms) {
                all.add(problem(refusal, objects));
            }
        });
        return all;
    }

    private static Problem problem(Refusal refusal, Closed objects) {
        return new Problem(
                ErrorCode.KEY_MISSING,
                objects.firstKey() + (objects.number() > 1 ? " and " + (objects.number() - 1) + " more" : ""),
                refusal.what(),
                refusal.need(),
                "give the file with that key: --encryption-config FILE");
    }

    List<Problem> problems() {
        List<Problem> all = new ArrayList<>();
        closed.forEach((refusal, objects) -> all.add(problem(refusal, objects)));
        all.addAll(unreadable);
        if (others > 0) {
            all.add(new Problem(
                    ErrorCode.UNREADABLE_OBJECT,
                    "",
                    others + " more objects cannot be read",
                    "",
                    "give --encryption-config FILE, or a narrower --resource and --namespace to see them all"));
        }
        return all;
    }
}

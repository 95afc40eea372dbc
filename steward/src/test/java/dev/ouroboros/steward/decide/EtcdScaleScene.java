package dev.ouroboros.steward.decide;

import dev.ouroboros.steward.decide.EtcdScale.Manifests;
import dev.ouroboros.steward.decide.EtcdScale.Member;
import dev.ouroboros.steward.decide.MemberManifest.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Members of nodes that are called a, b, c, d and e, for tests of {@link EtcdScale}. */
final class EtcdScaleScene {
    static final Duration LIMIT = Duration.ofMinutes(5);

    /** Each node says that its member is as is wished, would not begin an etcd of its own, and, where others do not reach it, that it does not answer there either. */
    static final Manifests TOLD = told(Set.of(), State.CURRENT);

    static Manifests told(Set<String> busy, State... states) {
        List<String> nodes = List.of("a", "b", "c", "d", "e");
        Map<String, MemberManifest> told = new TreeMap<>();
        for (int index = 0; index < nodes.size(); index++) {
            State state = states[Math.min(index, states.length - 1)];
            told.put(
                    nodes.get(index),
                    new MemberManifest(nodes.get(index), 0, state, "it ended", false, true, Optional.empty()));
        }
        return new Manifests(0, told, busy, Optional.empty(), Optional.empty());
    }

    static String url(String name) {
        return "https://" + name + ":2379";
    }

    static Member voter(String name) {
        return voter(name, false);
    }

    /** A member with a file of which much is not in use. */
    static Member fragmented(String name) {
        return voter(name, true);
    }

    private static Member voter(String name, boolean isFragmented) {
        return new Member(
                "id-" + name,
                name,
                Optional.of(name),
                Optional.empty(),
                false,
                false,
                true,
                isFragmented,
                Optional.empty(),
                List.of(url(name)));
    }

    static Member learner(String name, Optional<Duration> silentFor) {
        return new Member(
                "id-" + name,
                name,
                Optional.of(name),
                Optional.empty(),
                true,
                false,
                false,
                false,
                silentFor,
                List.of());
    }

    static Member silent(String name, Duration silentFor) {
        return new Member(
                "id-" + name,
                name,
                Optional.of(name),
                Optional.empty(),
                false,
                false,
                false,
                false,
                Optional.of(silentFor),
                List.of(url(name)));
    }

    static List<String> urls(String... names) {
        return List.of(names).stream().map(EtcdScaleScene::url).toList();
    }

    private EtcdScaleScene() {}
}

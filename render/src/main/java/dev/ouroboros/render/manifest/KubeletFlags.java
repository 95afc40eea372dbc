package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.KnownFlags.Verdict;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks before any Node is changed that kubelets have the flags that they are to be given. */
public final class KubeletFlags {
    private KubeletFlags() {}

    /**
     * Requires that a version has every flag that nodes are to give their kubelets.
     *
     * @param place where people say it, before the flag's name
     * @param wishes as annotations of Nodes; one that cannot be understood is its node's to refuse
     * @param more what each is to be beside that
     * @throws ProblemException INVALID_FLAG with each that it has not
     */
    public static void require(String place, KubernetesVersion version, Collection<String> wishes, KubeletWish more) {
        if (!VersionFacts.supported().contains(version)) {
            return;
        }
        SortedMap<String, Problem> problems = new TreeMap<>();
        for (String wish : wishes) {
            read(wish)
                    .and(more)
                    .arguments()
                    .forEach((flag, value) -> value.flatMap(_ -> against(place, flag, version))
                            .ifPresent(found -> problems.put(flag, found)));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(List.copyOf(problems.values()));
        }
    }

    private static KubeletWish read(String wish) {
        try {
            return KubeletWish.read(wish);
        } catch (MalformedJson e) {
            return KubeletWish.NOTHING;
        }
    }

    private static Optional<Problem> against(String place, String flag, KubernetesVersion version) {
        return switch (VersionFacts.of(version).flags().judge(Component.KUBELET, flag)) {
            case Verdict.Known() -> Optional.empty();
            case Verdict.OtherVersion(var range, var successor, var _) ->
                Optional.of(problem(
                        place + flag,
                        flag,
                        version,
                        " (it exists " + range.describe() + ")",
                        successor.map(other -> "instead: " + other).orElse("")));
            case Verdict.Unknown(var nearest) ->
                Optional.of(problem(
                        place + flag,
                        flag,
                        version,
                        "",
                        nearest.map(other -> "perhaps " + other).orElse("a flag that it has")));
        };
    }

    private static Problem problem(String where, String flag, KubernetesVersion version, String more, String expected) {
        return new Problem(
                ErrorCode.INVALID_FLAG,
                where,
                "kubelet " + version.tag() + " has no --" + flag + more,
                expected,
                "leave it out, or correct its name: kubelet --help lists what there is");
    }
}

package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.KnownFlags.Gone;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.List;

/** Flags that the control plane is started with and that the next minor version does not know any more. */
final class LeavingFlags {
    private LeavingFlags() {}

    static List<PlanFinding> of(List<Manifest> workloads, KubernetesVersion server) {
        KubernetesVersion next = KubernetesVersion.of(server.major(), server.minor() + 1);
        KnownFlags known = VersionFacts.of(next).flags();
        List<PlanFinding> findings = new ArrayList<>();
        for (Manifest workload : workloads) {
            for (Component component : FlagJudge.WITH_FLAGS) {
                CommandLine line = workload.commandLine(component);
                for (Gone gone : known.goneSince(component, server)) {
                    if (line.flags().contains(gone.flag())) {
                        findings.add(warning(
                                CheckUp.FLAGS,
                                workload.described(),
                                "--" + gone.flag() + " is gone in " + next.minorName() + " (" + gone.source() + ")",
                                "the program ends at once with 'unknown flag' there",
                                gone.successor().map(FlagJudge::instead).orElse("remove it")));
                    }
                }
            }
        }
        return findings;
    }
}

package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.KnownFlags.Verdict;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.oci.ImageBuilder;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.upgrade.plan.BinaryFlags;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The data of flags against the real programs: what they print, and what they say of flags that they are given. */
@Tag("e2e")
final class FlagDataE2eTest {
    static List<Component> ofKubernetes() {
        return Component.KUBERNETES;
    }

    private static final Pattern PRINTED = Pattern.compile("(?m)^\\s+(?:-\\w, )?--([a-z0-9_-]+)");
    private static final Binaries BINARIES = binaries();

    private static Binaries binaries() {
        LocalProcesses processes = new LocalProcesses();
        String directory = System.getProperty("ouroboros.binaries", "");
        return ImagesModule.create(
                        processes,
                        new LocalDisk(),
                        InstantSource.system(),
                        CacheDirectory.of(System.getenv(), Path.of(System.getProperty("user.home"))),
                        Architecture.of(System.getProperty("os.arch")),
                        ImageBuilder.Daemons.find(List.of()),
                        ProxyEnvironment.of(System.getenv()))
                .binaries()
                .resolve(new BinaryRequest(
                        Optional.of(directory).filter(path -> !path.isEmpty()).map(BinarySource::parse),
                        Optional.empty(),
                        true,
                        System.err::println));
    }

    @ParameterizedTest
    @MethodSource("ofKubernetes")
    void knowsEveryFlagThatAProgramPrintsAndNoneThatItRefuses(Component component) {
        KubernetesVersion version =
                KubernetesVersion.parse(BINARIES.kubernetesVersion()).orElseThrow();
        KnownFlags data = VersionFacts.of(version).flags();
        Optional<Path> file = BINARIES.find(Binary.named(component.id()).orElseThrow());
        if (file.isEmpty()) {
            // A release has no download of kube-proxy alone.
            assertThat(component).isEqualTo(Component.PROXY);
            return;
        }
        Set<String> printed = printed(file.get());
        assertThat(printed).hasSizeGreaterThan(20);
        assertThat(printed)
                .as("flags that %s %s prints", component.id(), version)
                .allSatisfy(flag -> assertThat(data.judge(component, flag)).isInstanceOf(Verdict.Known.class));

        Set<String> hidden = new TreeSet<>(data.ever(component));
        hidden.removeAll(printed);
        Set<String> refused = refused(component, file.get(), hidden);
        assertThat(hidden).allSatisfy(flag -> {
            boolean isKnown = data.judge(component, flag) instanceof Verdict.Known;
            assertThat(isKnown && refused.contains(flag))
                    .as("the data says that %s %s has --%s, which refuses it", component.id(), version, flag)
                    .isFalse();
        });
        assertThat(hidden)
                .filteredOn(flag -> data.judge(component, flag) instanceof Verdict.OtherVersion)
                .allSatisfy(flag -> assertThat(refused)
                        .as("the data says that %s %s has no --%s", component.id(), version, flag)
                        .contains(flag));
    }

    private static Set<String> refused(Component component, Path file, Set<String> flags) {
        Path directory = Optional.ofNullable(file.getParent()).orElseThrow();
        return switch (new BinaryFlags(new LocalProcesses(), directory).unknown(component, flags)) {
            case Evidence.Known<Set<String>>(Set<String> refused) -> refused;
            case Evidence.Unknown<Set<String>>(String why) -> throw new AssertionError(why);
        };
    }

    private static Set<String> printed(Path file) {
        String help =
                new LocalProcesses().run(Command.of(file.toString(), "--help")).orThrow();
        return PRINTED.matcher(help)
                .results()
                .map((MatchResult match) -> match.group(1))
                .filter(flag -> !flag.equals("help"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}

package dev.ouroboros.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.oci.JavaRuntime;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The borders between modules, written down once: which module may use which. docs/architecture.md shows the same picture. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ArchitectureTest {
    private static final String ROOT = "dev.ouroboros.";

    /** Module to the modules it may use. Arrows point one way: there is no cycle in this map. */
    private static final Map<String, Set<String>> ALLOWED = new TreeMap<>(Map.ofEntries(
            Map.entry("model", Set.of()),
            Map.entry("facts", Set.of("model")),
            Map.entry("node", Set.of("model")),
            Map.entry("endpoint", Set.of("model")),
            Map.entry("cluster", Set.of("model", "endpoint", "api")),
            Map.entry("api", Set.of("model", "node", "endpoint")),
            Map.entry("probe", Set.of("model", "endpoint")),
            Map.entry("images", Set.of("model", "facts", "node")),
            Map.entry("runtime", Set.of("model", "node")),
            Map.entry("snapshot", Set.of("model")),
            Map.entry("render", Set.of("model", "facts", "node")),
            // The gRPC client is the container runtime's; the pod of a restore is made of the one that render made; a
            // node asks the API for the
            // certificate of a member.
            Map.entry(
                    "etcd",
                    Set.of("model", "facts", "node", "endpoint", "api", "cluster", "runtime", "snapshot", "render")),
            // The temporary control plane is made of rendered pods, and what bootkube rendered is adopted.
            Map.entry("bootstrap", Set.of("model", "facts", "node", "endpoint", "api", "cluster", "render")),
            // What a lost cluster's directory is made of: the control plane found in a snapshot, an etcd or an API.
            Map.entry(
                    "recovery",
                    Set.of("model", "facts", "node", "endpoint", "cluster", "snapshot", "etcd", "render", "change")),
            Map.entry(
                    "sandbox",
                    Set.of(
                            "model",
                            "facts",
                            "node",
                            "images",
                            "render",
                            "endpoint",
                            "cluster",
                            "snapshot",
                            "etcd",
                            "recovery")),
            Map.entry("keeper", Set.of("model", "node", "endpoint", "api", "runtime")),
            Map.entry("dns", Set.of("model", "node", "endpoint", "api")),
            // What is wished of etcd is done with its own parts.
            Map.entry(
                    "steward",
                    Set.of(
                            "model",
                            "node",
                            "endpoint",
                            "api",
                            "cluster",
                            "runtime",
                            "snapshot",
                            "etcd",
                            "render",
                            "change")),
            // The keeper carries changes out, says how far they are, and judges each template of theirs.
            Map.entry("change", Set.of("model", "node", "render", "cluster", "keeper")),
            // What a cluster is to become is rendered; what is stored in it is read from a snapshot, which is also the
            // way back. A difference is shown beside what the keeper has saved.
            Map.entry(
                    "upgrade",
                    Set.of(
                            "model",
                            "facts",
                            "node",
                            "endpoint",
                            "api",
                            "cluster",
                            "change",
                            "render",
                            "snapshot",
                            "etcd",
                            "keeper")),
            // A host gets the programs and the images that its role needs, and files as render makes them.
            Map.entry("host", Set.of("model", "facts", "node", "endpoint", "images", "render", "cluster")),
            Map.entry("status", Set.of("model", "node", "endpoint", "cluster", "runtime", "keeper")),
            // A check-up is what status and an upgrade's plan see, judged as findings; etcd's alarms nobody else asks
            // for.
            Map.entry(
                    "doctor",
                    Set.of("model", "node", "endpoint", "api", "cluster", "etcd", "keeper", "status", "upgrade")),
            Map.entry(
                    "cli",
                    Set.of(
                            "model",
                            "facts",
                            "node",
                            "endpoint",
                            "cluster",
                            "probe",
                            "images",
                            "runtime",
                            "snapshot",
                            "etcd",
                            "render",
                            "bootstrap",
                            "sandbox",
                            "keeper",
                            "status",
                            "host",
                            "change",
                            "upgrade",
                            "doctor",
                            "recovery"))));

    /** What runs in the keeper's small memory: no object mapping, no YAML, no certificates library. */
    private static final String[] LIGHT = {
        "dev.ouroboros.model..",
        "dev.ouroboros.node..",
        "dev.ouroboros.api..",
        "dev.ouroboros.runtime..",
        "dev.ouroboros.keeper..",
        "dev.ouroboros.dns.."
    };

    /** What only computes: decisions, and values and rules, facts and manifests that they and others are made of. */
    private static final String[] PURE = {
        "dev.ouroboros.model..",
        "dev.ouroboros.facts..",
        "dev.ouroboros..decide..",
        "dev.ouroboros.keeper.template..",
        "dev.ouroboros.upgrade.merge..",
        "dev.ouroboros.render.adopt..",
        "dev.ouroboros.render.cluster..",
        "dev.ouroboros.render.config..",
        "dev.ouroboros.render.lint..",
        "dev.ouroboros.render.manifest..",
        "dev.ouroboros.render.pki..",
        "dev.ouroboros.render.understudy.."
    };

    /** Read once: reading them takes longer than all rules together. */
    private final JavaClasses all = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.ouroboros");

    private static String packagesOf(String module) {
        return ROOT + module + "..";
    }

    @Test
    void everyModuleHasItsPlaceInTheGraph() {
        Set<String> found = new java.util.TreeSet<>();
        all.forEach(
                type -> found.add(type.getPackageName().substring(ROOT.length()).replaceAll("\\..*", "")));
        assertThat(found).isEqualTo(ALLOWED.keySet());
    }

    @Test
    void whatTheKeeperRunsIsLight() {
        check(noClasses()
                .that()
                .resideInAnyPackage(LIGHT)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fabric8..",
                        "com.fasterxml.jackson.databind..",
                        "com.fasterxml.jackson.dataformat..",
                        "org.snakeyaml..",
                        "org.bouncycastle.."));
    }

    /** Else the keeper's image, which has no others, would fail at run time. */
    @Test
    void whatTheKeeperRunsUsesTheModulesOfItsImageOnly() {
        Map<String, String> moduleOfPackage = new TreeMap<>();
        ModuleLayer.boot()
                .modules()
                .forEach(module -> module.getPackages()
                        .forEach(name -> moduleOfPackage.put(name, String.valueOf(module.getName()))));
        DescribedPredicate<JavaClass> elsewhere = DescribedPredicate.describe(
                "in a module of the JDK besides " + JavaRuntime.MODULES,
                type -> moduleOfPackage.containsKey(type.getPackageName())
                        && !JavaRuntime.MODULES.contains(moduleOfPackage.get(type.getPackageName())));
        check(noClasses()
                .that()
                .resideInAnyPackage(LIGHT)
                .or()
                .resideInAPackage(packagesOf("endpoint"))
                .should()
                .dependOnClassesThat(elsewhere));
    }

    @Test
    void modulesUseOnlyWhatTheGraphAllows() {
        ALLOWED.forEach((module, allowed) -> {
            List<String> forbidden = new ArrayList<>();
            for (String other : ALLOWED.keySet()) {
                if (!other.equals(module) && !allowed.contains(other)) {
                    forbidden.add(packagesOf(other));
                }
            }
            if (!forbidden.isEmpty()) {
                check(noClasses()
                        .that()
                        .resideInAPackage(packagesOf(module))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(forbidden.toArray(String[]::new)));
            }
        });
    }

    /** Who reads a name must know which class it is. */
    @Test
    void noTwoClassesShareAName() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            Map<String, List<Path>> byName = files.filter(file ->
                            file.toString().contains("/src/") && file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .collect(Collectors.groupingBy(file -> String.valueOf(file.getFileName())));
            assertThat(byName.values()).allMatch(same -> same.size() == 1);
        }
    }

    /** What was published with another digest, or of one that etcd chose, is compared with that one. */
    @Test
    void digestsAreMadeInOnePlace() {
        check(noClasses()
                .that()
                .doNotHaveFullyQualifiedName(Sha256.class.getName())
                .and()
                .doNotHaveFullyQualifiedName("dev.ouroboros.images.release.Checksum")
                .and()
                .doNotHaveFullyQualifiedName("dev.ouroboros.snapshot.etcd.EtcdFactsReader")
                .should()
                .callMethod(MessageDigest.class, "getInstance", String.class));
    }

    @Test
    void whatTestsNeedIsUsedByTestsOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("..testing..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.ouroboros..testing.."));
    }

    @Test
    void packagesHaveNoCycles() {
        check(slices().matching("dev.ouroboros.(*).(*)..").should().beFreeOfCycles());
    }

    @Test
    void fabric8IsTypesOnly() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("io.fabric8.kubernetes.client.."));
    }

    /** It is part of the keeper, whose memory is counted. */
    @Test
    void theRuntimeModuleStaysLight() {
        check(noClasses()
                .that()
                .resideInAPackage(packagesOf("runtime"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.fabric8..", "com.fasterxml.jackson.databind..", "io.grpc..", "io.netty.."));
    }

    @Test
    void whatIsPureDoesNoInputOrOutput() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.(File|RandomAccessFile|Console).*"
                        + "|java\\.nio\\.(channels\\..*|file\\.(Files|FileSystem.*))"
                        + "|java\\.net\\.(?!Inet|URI|UnknownHost).*"
                        + "|java\\.lang\\.(Process.*|Runtime|Thread.*)"
                        + "|java\\.util\\.concurrent\\.(?!Callable).*|java\\.time\\.Clock"));
    }

    /** Adapters use decisions, in the same module as well; never the other way round. */
    @Test
    void whatIsPureUsesNoAdapter() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.ouroboros..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(PURE))));
    }

    /** Others hold what it has made or read. */
    @Test
    void onlyRenderBuildsWithTypesOfManifests() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(packagesOf("render"))
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.fabric8\\..*(Builder|Fluent)"));
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        packagesOf("render"), packagesOf("bootstrap"), packagesOf("etcd"), packagesOf("recovery"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.fabric8.."));
    }

    @Test
    void childProcessesStartInOnePlace() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.ouroboros.node.process..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ProcessBuilder.class));
    }

    @Test
    void whatVerbsHandToModulesIsMadeInOnePlace() {
        check(noClasses()
                .that()
                .resideInAPackage(packagesOf("cli"))
                .and()
                .doNotHaveFullyQualifiedName(ThisMachine.class.getName())
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(LocalDisk.class, LocalProcesses.class));
    }

    @Test
    void onlyTheCommandLinePrints() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(packagesOf("cli"))
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err"));
    }

    @Test
    void everyPackageIsNullMarked() {
        check(classes()
                .that()
                .haveSimpleName("package-info")
                .should()
                .beAnnotatedWith(org.jspecify.annotations.NullMarked.class));
        Set<String> marked = new java.util.TreeSet<>();
        Set<String> packages = new java.util.TreeSet<>();
        all.forEach(type -> {
            packages.add(type.getPackageName());
            if (type.getSimpleName().equals("package-info")) {
                marked.add(type.getPackageName());
            }
        });
        assertThat(marked).isEqualTo(packages);
    }

    private void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(all);
    }
}

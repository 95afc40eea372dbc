package dev.ouroboros.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.render.manifest.CniSettings;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The pods' network of a host: a template that containerd fills when the node has its addresses. */
final class HostPodNetworkTest extends HostOnADisk {
    private HostRequest withoutPodNetwork() {
        return new HostRequest(
                new HostSource.Assets(assets()),
                Optional.of("one"),
                Optional.of(InetAddress.ofLiteral("10.0.0.5")),
                false,
                Optional.empty(),
                RegistryAccess.direct(),
                false);
    }

    /** containerd makes it when the node has its addresses: it is ours, and goes with what is ours. */
    @Test
    void theNetworkThatContainerdMakesOfTheTemplateIsOurs() throws IOException {
        List<String> before = everything();
        prepare();
        Files.writeString(root().resolve(CniSettings.GENERATED.substring(1)), "{}");

        assertThat(plan().plan().changes()).isFalse();
        assertThat(reset(false)).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    /** What containerd made of a former template would win over an add-on's network, or be gone on with. */
    @Test
    void theNetworkThatContainerdMadeGoesWhenTheTemplateIsAnotherOrNone() throws IOException {
        prepare();
        Path generated = root().resolve(CniSettings.GENERATED.substring(1));
        Files.writeString(generated, "{}");
        Path template = root().resolve(CniSettings.TEMPLATE.substring(1));
        String former = "of an earlier ouro";
        Files.writeString(template, former);
        tree().save(tree().record().written(Map.of(CniSettings.TEMPLATE, Sha256.hex(former))));
        prepare();
        assertThat(generated).doesNotExist();
        assertThat(template).content().isEqualTo(CniSettings.template());

        Files.writeString(generated, "{}");
        prepare(withoutPodNetwork());
        assertThat(generated).doesNotExist();
        assertThat(template).doesNotExist();
        assertThat(plan().plan().paths(Step.WRITE)).contains(CniSettings.TEMPLATE);
    }

    /** Else the run that goes on would find the template done, and leave the network of the former one. */
    @Test
    void itIsGoneBeforeTheNewTemplateIsThere() throws IOException {
        Path template = root().resolve(CniSettings.TEMPLATE.substring(1));
        Path generated = root().resolve(CniSettings.GENERATED.substring(1));
        prepare();
        Files.writeString(template, "of an earlier ouro");
        Files.writeString(generated, "{}");
        tree().save(tree().record().written(Map.of(CniSettings.TEMPLATE, Sha256.hex("of an earlier ouro"))));
        List<Boolean> wereThere = new ArrayList<>();
        Disk watched = (Disk) Proxy.newProxyInstance(
                HostPodNetworkTest.class.getClassLoader(), new Class<?>[] {Disk.class}, (_, method, arguments) -> {
                    if (method.getName().equals("write") && template.equals(arguments[0])) {
                        wereThere.add(Files.exists(generated));
                    }
                    return method.invoke(new LocalDisk(), arguments);
                });

        new HostChanges(
                        new HostTree(watched, root()),
                        new LocalProcesses(),
                        packages(),
                        InstantSource.system(),
                        Duration.ofMinutes(1),
                        said::add)
                .apply(plan(), software("1.20.2"));

        assertThat(wereThere).containsExactly(false);
    }

    /** Its pods live on: what an earlier ouro wrote stays their network until it is taken back. */
    @Test
    void theNetworkOfAHostOfAnEarlierOuroStays() throws IOException {
        List<String> before = everything();
        prepare();
        Path former = root().resolve(CniSettings.FORMER.substring(1));
        Files.writeString(former, "{}");
        tree().save(tree().record().written(Map.of(CniSettings.FORMER, Sha256.hex("{}"))));

        assertThat(plan().plan().changes()).isFalse();
        assertThat(plan(withoutPodNetwork()).plan().paths(Step.REMOVE)).contains(CniSettings.FORMER);
        assertThat(reset(false)).isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void aClusterThatGivesNodesNoPodAddressesNeedsANetworkOfItsOwn() throws IOException {
        Files.writeString(
                assets().resolve(AssetLayout.CONTROLLER_MANAGER),
                workload(
                        "Deployment",
                        "kube-controller-manager",
                        "--cluster-cidr=10.2.0.0/16",
                        "--allocate-node-cidrs=false"));

        assertThatThrownBy(this::plan)
                .hasMessageContaining("gives Nodes no addresses for pods")
                .hasMessageContaining("--no-pod-network");
        assertThat(plan(withoutPodNetwork()).settings().podNetwork()).isFalse();
    }

    @Test
    void aNetworkThatContainerdMadeForSomebodyElseIsInTheWay() throws IOException {
        Path generated = root().resolve(CniSettings.GENERATED.substring(1));
        Files.createDirectories(generated.resolveSibling("."));
        Files.writeString(generated, "{}");

        assertThatThrownBy(this::plan)
                .hasMessageContaining(CniSettings.GENERATED)
                .hasMessageContaining("is another pod network");
    }
}

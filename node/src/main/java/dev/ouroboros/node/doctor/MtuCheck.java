package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Whether pods send larger packets than the uplink takes. The container runtime uses the first CNI configuration by name; the plugins {@code bridge}
 * and {@code ptp} leave the kernel's default of 1500 bytes when the configuration names no MTU, other plugins look for themselves.
 */
final class MtuCheck implements Check {
    private static final String CHECK = Ailment.MTU_IS_TOO_LARGE.check();
    private static final Path CONFIGURATIONS = Path.of("etc/cni/net.d");
    private static final Set<String> ENDINGS = Set.of("conf", "conflist", "json");
    private static final Set<String> PLAIN_PLUGINS = Set.of("bridge", "ptp");
    private static final int ETHERNET = 1500;
    private static final String EVERYWHERE = "00000000";

    private final Disk disk;
    private final Path root;
    private final Links links;

    /** The MTU of an interface; empty when there is none of that name. */
    @FunctionalInterface
    interface Links {
        OptionalInt mtu(String name) throws IOException;
    }

    MtuCheck(Disk disk, Path root, Links links) {
        this.disk = disk;
        this.root = root;
        this.links = links;
    }

    /** The MTU in our own network namespace; {@code /sys} may show another namespace's. */
    static OptionalInt here(String name) throws IOException {
        NetworkInterface link = NetworkInterface.getByName(name);
        return link == null ? OptionalInt.empty() : OptionalInt.of(link.getMTU());
    }

    @Override
    public List<Finding> run() {
        Path directory = root.resolve(CONFIGURATIONS);
        Optional<Path> file = disk.list(directory).stream()
                .filter(name -> ENDINGS.contains(name.substring(name.lastIndexOf('.') + 1)))
                .sorted()
                .findFirst()
                .map(directory::resolve);
        return List.of(
                file.isEmpty()
                        ? Finding.ok(CHECK, "no network plugin is configured in /" + CONFIGURATIONS + " yet")
                        : judge(file.get()));
    }

    private Finding judge(Path file) {
        String name = "/" + root.relativize(file);
        try {
            Json configuration = JsonText.read(disk.readText(file).orElse(""));
            Optional<String> link =
                    defaultLink(disk.readText(root.resolve("proc/net/route")).orElse(""));
            if (link.isEmpty()) {
                return Finding.unknown(CHECK, "there is no default route whose link could be compared with " + name);
            }
            OptionalInt mtu = links.mtu(link.get());
            return mtu.isEmpty()
                    ? Finding.unknown(CHECK, "link " + link.get() + " of the default route is not there")
                    : judge(name, configuration, link.get(), mtu.getAsInt());
        } catch (IOException e) {
            return Finding.unknown(CHECK, name + ": " + e.getMessage());
        }
    }

    static Finding judge(String file, Json configuration, String link, int linkMtu) {
        List<Json> plugins = Stream.concat(Stream.of(configuration), configuration.at("plugins").items().stream())
                .toList();
        OptionalLong configured = plugins.stream()
                .map(plugin -> plugin.at("mtu").integer())
                .filter(mtu -> mtu.orElse(0) > 0)
                .findFirst()
                .orElse(OptionalLong.empty());
        boolean isPlain = plugins.stream()
                .anyMatch(plugin ->
                        plugin.at("type").text().filter(PLAIN_PLUGINS::contains).isPresent());
        if (configured.isEmpty() && !isPlain) {
            return Finding.unknown(CHECK, file + " names no mtu: its plugin chooses one itself");
        }
        long pods = configured.orElse(ETHERNET);
        String evidence = pods + (configured.isEmpty() ? " by default" : "") + " for pods by " + file + ", " + linkMtu
                + " on " + link + ", the link of the default route";
        return pods > linkMtu ? Ailment.MTU_IS_TOO_LARGE.seen(evidence) : Finding.ok(CHECK, evidence);
    }

    /**
     * Name of the default route's interface, of the text of {@code /proc/net/route}: the columns are interface, destination, ..., and mask as the
     * eighth.
     */
    static Optional<String> defaultLink(String routes) {
        return routes.lines()
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields.length > 7 && fields[1].equals(EVERYWHERE) && fields[7].equals(EVERYWHERE))
                .map(fields -> fields[0])
                .findFirst();
    }
}

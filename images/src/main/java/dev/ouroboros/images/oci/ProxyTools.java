package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.FileTrouble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What kube-proxy calls: iptables, nft, conntrack, ipset and modprobe, with their plugins and libraries.
 *
 * <p>Only the nftables variant of iptables is in it, under the plain names: the kubelet and kube-proxy of a node share chains,
 * so both must use one variant, and Debian's default on the host is the same.
 */
final class ProxyTools {
    private static final List<String> PACKAGES = List.of("conntrack", "ipset", "iptables", "kmod", "nftables");

    /** Path in the image to where the packages have the program. Names of one program are copies: it looks at its name. */
    private static final Map<String, String> PROGRAMS = Map.ofEntries(
            Map.entry("/usr/sbin/iptables", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/iptables-save", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/iptables-restore", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/ip6tables", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/ip6tables-save", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/ip6tables-restore", "/usr/sbin/xtables-nft-multi"),
            Map.entry("/usr/sbin/nft", "/usr/sbin/nft"),
            Map.entry("/usr/sbin/conntrack", "/usr/sbin/conntrack"),
            Map.entry("/usr/sbin/ipset", "/sbin/ipset"),
            Map.entry("/usr/sbin/modprobe", "/bin/kmod"));

    private final DebianPrograms debian;
    private final Architecture architecture;

    ProxyTools(UnpackedPackages packages, Architecture architecture) {
        this.debian = new DebianPrograms(packages, "kube-proxy-tools", PACKAGES);
        this.architecture = architecture;
    }

    /** Path in the image to file on this disk. */
    SortedMap<String, Path> files(Progress progress) {
        Path root = debian.root(progress);
        SortedMap<String, Path> files = new TreeMap<>();
        PROGRAMS.forEach((inImage, inPackage) -> files.put(inImage, debian.existing(root, inPackage)));
        String plugins = "/usr/lib/" + architecture.libraryDirectory() + "/xtables";
        for (Path plugin : list(debian.existing(root, plugins))) {
            files.put(plugins + "/" + plugin.getFileName(), plugin);
        }
        files.putAll(new SharedLibraries(List.of(root), architecture).closure(List.copyOf(files.values())));
        return files;
    }

    private static List<Path> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isRegularFile).sorted().toList();
        } catch (java.io.IOException e) {
            throw FileTrouble.of(directory, "cannot be listed", e);
        }
    }
}

package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages in the cache that were unpacked, and then lost something. */
final class ProxyToolsTest {
    @TempDir
    private Path directory = Path.of("");

    private Path packages = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        packages = directory.resolve("packages/kube-proxy-tools");
        for (String program : List.of(
                "usr/sbin/xtables-nft-multi", "usr/sbin/nft", "usr/sbin/conntrack", "usr/sbin/ipset", "usr/bin/kmod")) {
            Path file = packages.resolve(program);
            Files.createDirectories(file.resolveSibling(""));
            Files.writeString(file, "#!/bin/sh\n");
        }
        Files.createDirectories(packages.resolve("usr/lib/x86_64-linux-gnu/xtables"));
    }

    private void assertFails(ErrorCode code, Path where, String what, String next) {
        CacheDirectory cache = new CacheDirectory(directory);
        ProxyTools tools =
                new ProxyTools(new UnpackedPackages(new LocalProcesses(), new LocalDisk(), cache), Architecture.AMD64);
        Refusal.of(() -> tools.files(_ -> {}), code)
                .where(where)
                .whatStartsWith(what)
                .nextContains(next);
    }

    @Test
    void aProgramThatIsInNeitherDirectoryIsNamedWithThePackages() throws IOException {
        Files.delete(packages.resolve("usr/sbin/nft"));
        assertFails(
                ErrorCode.NOT_FOUND,
                packages,
                "has no /usr/sbin/nft although Debian's packages conntrack, ipset, iptables, kmod, nftables were unpacked",
                "remove this directory and run this again");
    }

    @Test
    void aFileInThePlaceOfThePluginsIsNamed() throws IOException {
        Path plugins = packages.resolve("usr/lib/x86_64-linux-gnu/xtables");
        Files.delete(plugins);
        Files.writeString(plugins, "no directory");
        assertFails(
                ErrorCode.DISK,
                plugins,
                "cannot be listed: not a directory: " + plugins,
                "see what is in its place (ls -ld)");
    }
}

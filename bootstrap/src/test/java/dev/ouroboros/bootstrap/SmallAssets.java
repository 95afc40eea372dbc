package dev.ouroboros.bootstrap;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** An asset directory with the least that one has; a test writes over it what it is about. */
final class SmallAssets {
    private final Disk disk;
    private final Path root;

    SmallAssets(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
        write(AssetLayout.ADMIN_KUBECONFIG, "a kubeconfig");
        write(AssetLayout.CA_CERTIFICATE, "a certificate");
        write(AssetLayout.MANIFESTS + "/z-addon-nothing.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: nothing, namespace: kube-system}
                """);
        for (Component component : Component.WITH_UNDERSTUDY) {
            pod(component);
        }
    }

    Path file(String name) {
        return root.resolve(name);
    }

    StartAssets read() {
        return StartAssets.read(disk, root);
    }

    void write(String name, String content) {
        Path file = file(name);
        disk.createDirectories(file.resolveSibling("").normalize(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, content.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    /** The bootstrap manifest of a component with these flags. */
    void pod(Component component, String... flags) {
        String name = component.id();
        write(AssetLayout.BOOTSTRAP_MANIFESTS + "/" + StartAssets.manifestFileName(component), """
                apiVersion: v1
                kind: Pod
                metadata: {name: bootstrap-%s, namespace: kube-system}
                spec:
                  containers:
                  - name: %s
                    image: localhost/ouroboros/%s:1.36.2
                    command: ["%s"]
                """.formatted(
                        name, name, name, String.join("\", \"", prepended(name, flags))));
    }

    private static String[] prepended(String name, String... flags) {
        String[] words = new String[flags.length + 1];
        words[0] = name;
        System.arraycopy(flags, 0, words, 1, flags.length);
        return words;
    }
}

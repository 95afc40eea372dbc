package dev.ouroboros.images.oci;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real disk on which somebody else removes a file between two of our looks at it. */
final class LosingDisk {
    private LosingDisk() {}

    /** Loses {@code file} whenever {@code work}, a method of {@link Disk}, is done. */
    static Disk after(String work, Path file) {
        LocalDisk real = new LocalDisk();
        return (Disk) Proxy.newProxyInstance(
                LosingDisk.class.getClassLoader(), new Class<?>[] {Disk.class}, (_, method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    if (method.getName().equals(work)) {
                        Files.deleteIfExists(file);
                    }
                    return result;
                });
    }
}

package dev.ouroboros.etcd;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** A real disk, of which a test decides what happens before something is changed on it. */
final class FaultyDisk {
    private static final Set<String> CHANGES =
            Set.of("write", "createDirectories", "delete", "deleteTree", "copy", "append", "rename");

    /** What happens before a change; it throws when the change is not to be. */
    interface Fault {
        void before(String change, Object[] arguments) throws Throwable;
    }

    private FaultyDisk() {}

    /** One that has no room left while this is there. */
    static Disk fullWith(Path file) {
        return with((_, _) -> {}, Optional.of(file));
    }

    static Disk with(Fault fault) {
        return with(fault, Optional.empty());
    }

    private static Disk with(Fault fault, Optional<Path> full) {
        LocalDisk real = new LocalDisk();
        return (Disk) Proxy.newProxyInstance(
                FaultyDisk.class.getClassLoader(),
                new Class<?>[] {Disk.class},
                (Object proxy, Method method, Object[] arguments) -> {
                    if (CHANGES.contains(method.getName())) {
                        fault.before(method.getName(), arguments);
                    }
                    if (method.getName().equals("usableBytes")
                            && full.filter(Files::exists).isPresent()) {
                        return 0L;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}

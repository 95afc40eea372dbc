package dev.ouroboros.render;

import dev.ouroboros.node.disk.Disk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk on which the process dies when it wants to change the n-th thing. */
final class FullDisk {
    private static final Set<String> READING = Set.of("read", "readText", "list", "usableBytes");

    /** The death of the process. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private FullDisk() {}

    static Disk after(int changes, Disk disk) {
        AtomicInteger left = new AtomicInteger(changes);
        return (Disk) Proxy.newProxyInstance(
                FullDisk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    if (!READING.contains(method.getName()) && left.getAndDecrement() == 0) {
                        throw new Killed();
                    }
                    return call(disk, method, arguments);
                });
    }

    private static @Nullable Object call(Disk disk, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(disk, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw cause == null ? e : cause;
        }
    }
}

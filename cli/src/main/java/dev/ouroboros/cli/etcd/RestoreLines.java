package dev.ouroboros.cli.etcd;

import dev.ouroboros.etcd.RestoreEvent;
import java.nio.file.Path;
import java.util.function.Consumer;

/** What a restore of etcd tells, for people. */
public final class RestoreLines {
    private RestoreLines() {}

    /**
     * Tells one thing.
     *
     * @param elsewhere what has to be done on other nodes where etcd has the revisions of before
     * @param say called once a line
     */
    public static void tell(RestoreEvent event, String elsewhere, Consumer<String> say) {
        switch (event) {
            case RestoreEvent.Entered(var phase, boolean resumed) ->
                say.accept((resumed ? "going on: " : "") + phase.description());
            case RestoreEvent.Waiting(String what) -> {
                if (!what.isEmpty()) {
                    say.accept("  waiting for " + what);
                }
            }
            case RestoreEvent.WasRestored() -> say.accept("etcd was restored from this snapshot already");
            case RestoreEvent.Restored(Path aside, boolean hadData, boolean raised) -> {
                if (hadData) {
                    say.accept("the former data is in " + aside + ": remove it when all is well");
                }
                if (!raised) {
                    say.accept("this version of etcd cannot raise the revision: " + elsewhere);
                }
            }
        }
    }
}

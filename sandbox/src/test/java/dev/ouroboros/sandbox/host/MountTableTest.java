package dev.ouroboros.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MountTableTest {
    /** Lines as in proc(5), with and without optional fields. */
    @Test
    void readsPlaceAndSourceWhateverOptionalFieldsThereAre() {
        String with =
                "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/loop7 rw,errors=continue";
        String without = "36 35 98:0 / /disk rw - ext4 /dev/loop7 rw";

        assertThat(MountTable.place(with, "/dev/loop7")).containsExactly("/mnt2");
        assertThat(MountTable.place(without, "/dev/loop7")).containsExactly("/disk");
        assertThat(MountTable.place(without, "/dev/loop71")).isEmpty();
        assertThat(MountTable.place("torn", "/dev/loop7")).isEmpty();
    }

    @Test
    void findsWhatThisProcessSees() {
        assertThat(new MountTable(new ProcessTable()).mountsOf("proc"))
                .anyMatch(found -> found.startsWith("/proc as "));
    }
}

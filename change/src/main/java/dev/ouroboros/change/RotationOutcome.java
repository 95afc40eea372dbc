package dev.ouroboros.change;

import java.util.List;

/**
 * Where a rotation stands when the command ends.
 *
 * @param rotation what is rotated
 * @param key name of the new key or authority
 * @param finished whether there is one only
 * @param remains why the former one is there, too; empty when it is not
 * @param next how to go on; empty when it is finished
 * @param rewritten objects of which it was proven that the new key wrote them
 * @param keepOutside what recovering the cluster takes, and is not on the cluster's disks alone
 */
public record RotationOutcome(
        String rotation,
        String key,
        boolean finished,
        List<String> remains,
        String next,
        int rewritten,
        List<KeepOutside> keepOutside) {
    public RotationOutcome {
        remains = List.copyOf(remains);
        keepOutside = List.copyOf(keepOutside);
    }

    /**
     * A file that has to be kept outside of the cluster.
     *
     * @param file in an asset directory
     * @param secret that has it, as namespace/name
     * @param key in the Secret's data
     * @param written whether the asset directory that was given has it now
     */
    public record KeepOutside(String file, String secret, String key, boolean written) {
        /** Prints the file's content. */
        public String command() {
            String[] parts = secret.split("/", 2);
            return "kubectl -n " + parts[0] + " get secret " + parts[1] + " -o jsonpath='{.data."
                    + key.replace(".", "\\.") + "}' | base64 -d";
        }
    }
}

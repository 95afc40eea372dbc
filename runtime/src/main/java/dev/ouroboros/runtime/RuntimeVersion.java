package dev.ouroboros.runtime;

/**
 * Which runtime answers.
 *
 * @param name for example {@code containerd}
 * @param version its own
 * @param api version of the Container Runtime Interface that it was asked through, for example {@code v1}
 */
public record RuntimeVersion(String name, String version, String api) {}

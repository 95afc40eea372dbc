package dev.ouroboros.model.front;

/** What is known of the balancer's table in the kernel. */
public sealed interface BalancerState {
    /** The kernel could not be asked, or gave an answer that we do not understand. */
    record Unknown(String reason) implements BalancerState {}

    /** There is no table of our name. */
    record NotInstalled() implements BalancerState {}

    /** There is a table of our name that we did not make; we neither change nor remove it. */
    record Foreign(String description) implements BalancerState {}

    /** The table is ours, but its rules are not those that we make. */
    record Damaged(String what) implements BalancerState {}

    /** Its rules are ours. What is dealt is not looked at: a deal says all of it anew. */
    record Installed() implements BalancerState {}
}

package dev.ouroboros.keeper.decide;

/** Where a component stands on this node, in a word: what {@code ouro status} shows and metrics count. */
public enum Condition {
    /** At rest; what is waited for, if anything, is its checkpoint. */
    SERVING("the principal serves"),
    /** The principal is not known to serve, and not known to fail for long enough. */
    DOUBTFUL("the principal is not known to serve"),
    /** Its understudy is needed and there is nothing to make it from, or nothing may be written. */
    HELPLESS("the principal is away and no understudy can be started"),
    /** The understudy's manifest is there, and it does not serve yet. */
    STARTING("the understudy starts"),
    UNDERSTUDY_SERVES("the understudy serves"),
    /** Principal and understudy both serve: the understudy is about to give way. */
    GIVING_WAY("the principal is back and the understudy gives way"),
    /** A candidate of it proves itself, or serves while the principal is replaced. */
    CHANGING("its change is under way"),
    /** Of the keeper itself: one copy waits for the other to end. */
    STANDING_BY("a second copy stands by"),
    /** Somebody scaled it to zero, and nothing is started; its checkpoint is kept for when it is wanted again. */
    SWITCHED_OFF("it was scaled to zero"),
    /** Another node has it; nothing is started here. */
    ELSEWHERE("another node has it"),
    /** No controller wants it here, and its checkpoints are the last way back that is known. */
    KEPT("it does not belong here, and its checkpoint is the cluster's last that is known"),
    /** No controller wants it here: its checkpoints will be removed. */
    LEAVING("it does not belong here any more"),
    /** Somebody else is at work here, or may be. */
    PASSIVE("the keeper leaves it alone");

    private final String description;

    Condition(String description) {
        this.description = description;
    }

    public String description() {
        return description;
    }
}

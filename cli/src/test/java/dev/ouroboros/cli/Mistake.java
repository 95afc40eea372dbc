package dev.ouroboros.cli;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.model.problem.ErrorCode;

/**
 * Something that people get wrong.
 *
 * @param what they are told was found, or the part of it that matters
 * @param next what they are told to do, or the part of it that matters
 */
record Mistake(ErrorCode code, String what, String next, Made made) {
    interface Made {
        Said in(Blunder blunder) throws Exception;
    }

    @Override
    public String toString() {
        return code + " " + what;
    }
}

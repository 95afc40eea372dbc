package dev.ouroboros.model.procedure.testing;

import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Instant;
import java.util.concurrent.Callable;

/** Kills a procedure before and behind each write of its journal and each of its actions, in a world of its own for each such place, and judges what is left. */
public final class KilledAnywhere {
    private KilledAnywhere() {}

    /** The world with a procedure that can be run again in it. */
    public interface World {
        /** Runs the procedure in a new process, which ends at the place if it comes there. */
        void run(Place place) throws Exception;

        /**
         * Requires that everything is as a procedure that nobody killed leaves it.
         *
         * @param killed where it was killed first, counted from 0, for messages
         */
        void judge(int killed) throws Exception;
    }

    /** The process is gone. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Where a process ends: at the nth chance. */
    public static final class Place {
        private long left;

        private Place(long chances) {
            this.left = chances;
        }

        /** It lives on. */
        public static Place nowhere() {
            return new Place(Long.MAX_VALUE);
        }

        private void pass() {
            if (left-- == 0) {
                throw new Killed();
            }
        }

        public <S> Journal<S> in(Journal<S> journal) {
            return state -> {
                pass();
                journal.write(state);
                pass();
            };
        }

        public <S, V, A> Procedure<S, V, A> in(Procedure<S, V, A> procedure) {
            return new Procedure<>() {
                @Override
                public V look(S state) {
                    return procedure.look(state);
                }

                @Override
                public NextStep<S, A> decide(V seen, S state, Instant now) {
                    return procedure.decide(seen, state, now);
                }

                @Override
                public S perform(A action, S state) {
                    pass();
                    S known = procedure.perform(action, state);
                    pass();
                    return known;
                }
            };
        }
    }

    /**
     * Tries every place: killed there, then half as far into what went on, then left alone.
     *
     * @param worlds makes a new one each time
     * @return how many places there were
     */
    public static int check(Callable<? extends World> worlds) throws Exception {
        int place = 0;
        while (isKilledTwice(worlds.call(), place, place / 2)) {
            place++;
        }
        return place;
    }

    /** The same, with every place in what went on: for worlds that cost little. */
    public static int checkPairs(Callable<? extends World> worlds) throws Exception {
        int place = 0;
        while (isKilledTwice(worlds.call(), place, 0)) {
            for (int second = 1; isKilledAgain(worlds.call(), place, second); second++) {}
            place++;
        }
        return place;
    }

    private static boolean isKilledTwice(World world, int first, int second) throws Exception {
        boolean killed = isKilled(world, first);
        if (killed && isKilled(world, second)) {
            world.run(Place.nowhere());
        }
        world.judge(first);
        return killed;
    }

    private static boolean isKilledAgain(World world, int first, int second) throws Exception {
        boolean killed = isKilled(world, first) && isKilled(world, second);
        if (killed) {
            world.run(Place.nowhere());
        }
        world.judge(first);
        return killed;
    }

    private static boolean isKilled(World world, int place) throws Exception {
        try {
            world.run(new Place(place));
            return false;
        } catch (Killed _) {
            return true;
        }
    }
}

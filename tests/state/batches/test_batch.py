"""One runner for all batches of a window: their order, how they are stopped, and what makes way for them."""

import pytest
from doubles import FunctionJob
from inline import Inline, Later, circle_data, opened

from mvexplorer.compute.run.scheduler import Scheduler
from mvexplorer.errors import ComputeError
from mvexplorer.state.batches.batch import Batch, BatchRunner, BatchStep
from mvexplorer.state.pictures.controller import Controller


class Numbers(Batch):
    """Jobs that answer by their numbers; what came is kept."""

    def __init__(self, slot, *numbers):
        self.slot, self.waiting, self.total = slot, list(numbers), len(numbers)
        self.begun, self.came = [], []

    @property
    def title(self):
        return self.slot.capitalize()

    def add(self, *numbers):
        self.waiting += numbers
        self.total += len(numbers)

    def next(self):
        return self._begin(self.waiting.pop(0)) if self.waiting else None

    def _begin(self, number):
        def answer(task):
            if number < 0:
                raise ComputeError("There is no root of it.", "Give a number above 0.")
            return number

        def take(found):
            self.done += 1
            self.came.append(found)

        self.begun.append(number)
        return BatchStep(FunctionJob(answer), f"{self.title} {number}", take)

    def rest(self):
        raise AssertionError("there are no other workers")

    take_back = None

    def drop(self):
        self.waiting.clear()
        self.total = self.done


class Window:
    """A runner beside a controller whose jobs begin when told to."""

    def __init__(self, at_a_time):
        self.panels, self.later = Later(), Later()
        self.controller = Controller(opened(circle_data(n_samples=20)), executor=self.panels, background=Inline())
        self.scheduler = Scheduler(self.later)
        self.runner = BatchRunner(self.controller, self.scheduler, at_a_time)

    def run(self, *batches):
        for batch in batches:
            self.runner.run(batch)
        return batches


@pytest.fixture
def window():
    made = []

    def make(at_a_time=2):
        made.append(Window(at_a_time))
        return made[-1]

    yield make
    for each in made:
        each.controller.shutdown()
        each.scheduler.shutdown()


def test_batches_go_in_the_order_in_which_they_began_so_many_steps_at_a_time(window):
    here = window(at_a_time=2)
    first, second = here.run(Numbers("roots", 1, 2, 3), Numbers("squares", 4, 5))
    assert (first.begun, second.begun, len(here.later.waiting)) == ([1, 2], [], 2)
    here.later.run_one()
    assert (first.begun, second.begun) == ([1, 2, 3], [])
    here.later.run_one()
    assert (first.begun, second.begun) == ([1, 2, 3], [4])
    here.later.run_all()
    assert (first.came, second.came) == ([1, 2, 3], [4, 5])


def test_steps_added_to_a_batch_that_has_ended_are_carried_out(window):
    here = window()
    (batch,) = here.run(Numbers("roots", 1))
    here.later.run_all()
    batch.add(2, 3)
    here.run(batch)
    here.later.run_all()
    assert batch.came == [1, 2, 3]


def test_an_error_is_the_answer_of_its_step_and_the_others_go_on(window):
    here = window(at_a_time=1)
    (batch,) = here.run(Numbers("roots", -1, 2))
    here.later.run_all()
    assert [str(found) for found in batch.came] == ["There is no root of it. Give a number above 0.", "2"]


def test_a_batch_that_is_stopped_makes_way_for_the_next(window):
    here = window(at_a_time=1)
    first, second = here.run(Numbers("roots", 1, 2), Numbers("squares", 3))
    here.runner.stop(first)
    here.later.run_all()
    assert (first.came, second.came) == ([], [3])


def test_to_stop_all_begins_no_step_of_another_batch(window):
    here = window(at_a_time=1)
    first, second, third = here.run(Numbers("roots", 1, 2), Numbers("squares", 3), Numbers("cubes", 4))
    here.runner.stop_all()
    here.later.run_all()
    assert (first.begun, second.begun, third.begun) == ([1], [], [])
    assert here.scheduler.tasks() == ()


def test_a_row_of_the_task_list_stops_its_whole_batch_and_it_is_told(window):
    here, stopped = window(at_a_time=1), []
    here.runner.stopped.connect(stopped.append)
    first, second = here.run(Numbers("roots", 1, 2), Numbers("squares", 3))
    here.controller.cancelled.emit("roots")
    here.controller.cancelled.emit("a row of somebody else")
    here.later.run_all()
    assert (stopped, first.begun, first.came, second.came) == ([first], [1], [], [3])


def test_while_panels_are_computed_one_step_at_a_time_is(window):
    here = window(at_a_time=2)
    here.controller.refresh()
    assert here.panels.waiting
    (batch,) = here.run(Numbers("roots", 1, 2, 3))
    assert batch.begun == [1]

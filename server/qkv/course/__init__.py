"""Lessons: loaded, validated and served; answers checked; progress kept.

`lesson.md` becomes a `Part` (parse), a folder of them a `Course` (load). `service` answers with plain JSON objects.
"""

from qkv.course.load import CourseError, load_course, shipped_course
from qkv.course.model import Cell, Course, Exercise, LessonProblem, Part

__all__ = ["Cell", "Course", "CourseError", "Exercise", "LessonProblem", "Part", "load_course", "shipped_course"]

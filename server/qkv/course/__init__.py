"""Lessons: loaded, validated and served; answers checked; progress kept."""

from qkv.course.load import CourseError, load_course
from qkv.course.model import Course, Exercise, LessonProblem, Part

__all__ = ["Course", "CourseError", "Exercise", "LessonProblem", "Part", "load_course"]
